/** The capabilities of a chat template, for people. */
import pc from 'picocolors';
import type { Capabilities } from '../format/capabilities.ts';

/** A tick or a cross for each capability: `✓ tool calls`. */
export function capabilityFlags(capabilities: Capabilities): readonly string[] {
  return Object.entries(capabilities).map(([flag, holds]) => {
    const name = flag.replace(/^supports/, '').replace(/\B[A-Z]/g, (letter) => ` ${letter}`);
    return holds ? `${pc.green('✓')} ${name.toLowerCase()}` : pc.dim(`✗ ${name.toLowerCase()}`);
  });
}
