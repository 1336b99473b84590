/** The query language, and the search in a program. */
export { QueryError } from "./ast";
export { Completer, type Completion } from "./complete";
export { GRAMMAR, KEYS, languageMarkdown } from "./language";
export { isModuleBetter, modulesNamed } from "./modules";
export { isReadable, parse } from "./parse";
export { mutatedNodes, sharedWith } from "./roles";
export { Searcher } from "./searcher";
