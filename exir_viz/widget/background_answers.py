"""Slow answers: each runs in its own thread, so that the kernel keeps answering and can stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

from exir_viz.errors import ExirVizError, MeasureError

from .messages import Message, Question

Answer: TypeAlias = Callable[[Question], Message | None]
ReportProgress: TypeAlias = Callable[..., None]
Send: TypeAlias = Callable[[Message, str | None], None]

_STOPPED = "Stopped. Nothing has changed."


def with_refusal(answer: Answer) -> Answer:
    """Answer with the reason if something fails: the page always waits for an answer."""

    def answered(question: Question) -> Message | None:
        node = ""
        try:
            return answer(question)
        except KeyboardInterrupt:
            reason = _STOPPED
        except MeasureError as error:
            reason, node = str(error), error.node
        except ExirVizError as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - the page shows it where it was asked for
            reason = f"{type(error).__name__}: {error}"
        return Message({"kind": "refused", "reason": reason, **({"node": node} if node else {})})

    return answered


def answer_in_thread(
    name: str, question: Question, made: Callable[[ReportProgress], Message], send: Send
) -> None:
    """Answer in a new thread; `made` reports its progress, and the page gets a message when it ends.

    A question that is refused before it starts does not change the progress of the running one.
    """
    began = False

    def report(**progress: object) -> None:
        nonlocal began
        began = True
        send(Message({"kind": "progress", **progress}), None)

    def work() -> None:
        answer = with_refusal(lambda _question: made(report))(question)
        if began:
            send(Message({"kind": "progress"}), None)
        if answer is not None:
            send(question.answered(answer), question.view)

    threading.Thread(target=work, name=f"exir_viz {name}", daemon=True).start()
