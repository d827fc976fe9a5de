/** What a request says that does not reach the model as it is, and its pictures. */
import { markOf } from '../../tools/picture-marks.ts';

/** A picture in a request. */
export interface RequestPicture {
  /** Where it is: `messages[2].content[0]`. */
  readonly place: string;
  /** A `data:` address. */
  readonly address: string;
  /** What a model is told that does not see it. */
  readonly line: string;
}

/** What reading a request notes. */
export class Notes {
  readonly #ignored: string[];
  readonly #pictures: RequestPicture[] = [];

  constructor(ignored: readonly string[]) {
    this.#ignored = [...ignored];
  }

  /**
   * Places of whatever has no effect, or reaches the model in other words: `tools.web_search`, `messages[2].content[0]`.
   * Clients find them in the header `idiolect-ignored`.
   */
  get ignored(): readonly string[] {
    return this.#ignored;
  }

  /** The pictures that texts have marks of. */
  get pictures(): readonly RequestPicture[] {
    return this.#pictures;
  }

  /** Notes a place. */
  ignore(place: string): void {
    this.#ignored.push(place);
  }

  /** Notes a picture. Returns its mark, for the text: whether the model sees it is not known yet. */
  picture(picture: RequestPicture): string {
    return markOf(this.#pictures.push(picture) - 1);
  }
}
