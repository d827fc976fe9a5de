/** What a request says that does not reach the model as it is. */

/**
 * Called with the place of whatever has no effect, or reaches the model in other words: `tools.web_search`,
 * `messages[2].content[0]`. Clients find the places in the header `idiolect-ignored`.
 */
export type Note = (place: string) => void;
