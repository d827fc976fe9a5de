/** Ids of calls that are unique within a response, because consumers identify calls by them. */

/** The ids used so far. */
export class UniqueIds {
  /** For each id, the number to try next when it occurs again. */
  private readonly ids = new Map<string, number>();

  /** `id`, or one that begins with it if it was used before. */
  unique(id: string): string {
    let count = this.ids.get(id);
    if (count === undefined) {
      this.ids.set(id, 2);
      return id;
    }
    let unique = id;
    for (; this.ids.has(unique); count++) unique = `${id}-${count}`;
    this.ids.set(id, count).set(unique, 2);
    return unique;
  }
}
