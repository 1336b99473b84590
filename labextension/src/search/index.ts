/** The query language, and the search of one program with it. */
export { type Pattern, type Query, QueryError, type Span } from "./ast";
export { parts } from "./columns";
export { Completer, type Completion } from "./complete";
export { GRAMMAR, KEYS, type Key, type Role, type State } from "./language";
export { languageMarkdown } from "./markdown";
export { isReadable, needsDetail, parse } from "./parse";
export { isSymbolic, mutatedNodes, roleOf, sharedWith } from "./roles";
export { Searcher } from "./searcher";
