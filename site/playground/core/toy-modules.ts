/** What is known of the toy's templates ahead of time, so that none is analysed in the page: `npm run generate`. */
import type { GeneratedModule } from '../../../src/parser/module-contract.ts';
import { responseModule as channels } from '../generated/channels/index.ts';
import { responseModule as json } from '../generated/json/index.ts';
import { responseModule as tags } from '../generated/tags/index.ts';

/** A module for each format. They are loaded with the page, so that a change of formats asks for nothing. */
export const toyModules: readonly GeneratedModule[] = [json, tags, channels];
