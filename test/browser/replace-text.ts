/** Editors of the inspector. */
import type { Page } from 'puppeteer-core';

/** Puts a text in the place of what an editor holds, as a paste does; `part` is the selector of what it is in. */
export async function replaceText(page: Page, part: string, text: string): Promise<void> {
  const editor = `${part} .cm-content`;
  await page.click(editor);
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.evaluate(
    (selector, given) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', given);
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(selector)?.dispatchEvent(event);
    },
    editor,
    text,
  );
}
