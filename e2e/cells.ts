/** Whether cells of a table cover each other on a phone. */
import type { Page } from '@playwright/test';

/** Returns the texts of cells that cover another one. Shows hidden columns as further details, so that each table is tried with several. */
export const coveredCells = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('table tbody tr')].flatMap((row) => {
      const cells = [...row.querySelectorAll<HTMLElement>(':scope > td')];
      for (const cell of cells) if (cell.dataset['phone'] === 'none') cell.dataset['phone'] = 'meta';
      const boxes = cells.map((cell) => ({ cell, box: cell.getBoundingClientRect() })).filter(({ box }) => box.width > 0 && box.height > 0);
      return boxes
        .filter(({ box }, index) =>
          boxes.some(
            ({ box: other }, place) =>
              place > index && box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom,
          ),
        )
        .map(({ cell }) => cell.textContent);
    }),
  );
