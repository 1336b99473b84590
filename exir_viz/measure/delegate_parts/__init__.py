"""Run parts of one delegate in the runtime: a comparison and a bisection both judge a delegate with them."""
