/** Nothing that axe finds, in both themes. They differ in colours alone, so what is asked of the dark one are the rules about those. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const aboutColours = ['color-contrast', 'link-in-text-block'];

/** In the page itself: only frames of other origins, of which there are none, would need a page of axe's own. */
const axe = (page: Page): AxeBuilder => new AxeBuilder({ page }).setLegacyMode();

const found = async (theme: string, builder: AxeBuilder): Promise<string[]> => {
  const { violations } = await builder.analyze();
  return violations.map(({ id, nodes }) => `${theme}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
};

/** Popups live outside the landmarks: where one is open, the rule about regions is off. */
export const expectAccessible = async (page: Page, { hasPopup = false } = {}): Promise<void> => {
  const light = await found('light', axe(page).disableRules(hasPopup ? ['region'] : []));
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await found('dark', axe(page).withRules(aboutColours));
  await page.emulateMedia({ colorScheme: 'light' });
  expect([...light, ...dark]).toEqual([]);
};
