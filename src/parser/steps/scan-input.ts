/** Reads arguments, or a value in them, with the JSON scanner. */
import type { Reader } from '../reader.ts';

/** Scans on, and emits what was read. */
export function scanInput(reader: Reader): void {
  const { scanner, cursor, input } = reader;
  const end = scanner.scan(cursor.text, cursor.at);
  input.emit(scanner.output, end, scanner.held);
  reader.waitInJson();
  if (!reader.ended || scanner.status !== 'open') return;
  scanner.end();
  input.emit(scanner.output, end, scanner.held);
}
