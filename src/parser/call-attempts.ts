/** What has been found to be no call without a marker of its own, so that nothing is tried twice. */
/** See the top of this file. */
export class CallAttempts {
  /** Whether the answer, since its beginning or the last call, is known to be more than calls, or they have been read. */
  wereBareCalls = false;
  /** Up to this offset, the text is known to contain no calls without a marker. */
  textUpTo = Number.NEGATIVE_INFINITY;
}
