/** What shows that a marker means what it says: the texts that must follow it. An absent condition is fulfilled. */

/** When an opener of a call counts. */
export interface Evidence {
  /** Counts only before the name of an offered tool that is followed by one of these texts. */
  readonly nameFollows?: readonly string[];
  /** Or, if it is not known which tools are offered, before any name that is followed by one of these texts. */
  readonly anyNameFollows?: readonly string[];
  /** Before that name comes the call's number and this text: `. ` in `1. f`. */
  readonly afterNumber?: string;
  /** Counts only before one of these, because prose may mention markers. */
  readonly followedBy?: Following;
  /** Counts only where a JSON call of an offered tool begins: after the marker, or with it if it is the brace. */
  readonly envelopeFollows?: EnvelopePaths;
  /** What closes the block of calls that the marker opens: `</tool_call>`. If it comes at once, the block is empty. */
  readonly blockEnd?: string;
  /** In text, it counts only at the beginning of a line: a marker before it is missing. */
  readonly ownLine?: true;
}

/** What must follow a marker, after optional white space. */
export interface Following {
  /** One of these texts; an empty one stands for the end of the response. */
  readonly texts?: readonly string[];
  /** Or any name followed by one of these texts. */
  readonly nameEnds?: readonly string[];
}

/** The paths to the parts of a JSON call; keys, outermost first. */
export interface EnvelopePaths {
  /** `null`: the name is the only key, and its value the arguments. */
  readonly name: readonly string[] | null;
  readonly arguments: readonly string[];
  readonly id?: readonly string[];
  readonly index?: readonly string[];
}
