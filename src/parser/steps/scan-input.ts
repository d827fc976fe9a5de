/** Arguments, or a value in them, that the scanner of JSON reads. */
import type { Reader } from '../reader.ts';

/** Lets the scanner read on, and emits what it has read. */
export function scanInput(reader: Reader): void {
  const { scanner, cursor, input } = reader;
  const end = scanner.scan(cursor.text, cursor.at);
  input.emit(scanner.output, end, scanner.held);
  reader.waitInJson();
  if (!reader.ended || scanner.status !== 'open') return;
  scanner.end();
  input.emit(scanner.output, end, scanner.held);
}
