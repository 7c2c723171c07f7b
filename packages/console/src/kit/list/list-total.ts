/** How many a list has, and how many pages: lists are counted up to a thousand, and read on beyond it. */
import type { Page } from '@slipway/contract/kernel/fields.ts';

type Counted = Pick<Page<unknown>, 'totalElements' | 'totalPages' | 'isTotalAtLeast' | 'number' | 'last'>;

/** "1 pipeline", "27 pipelines", "1,000+ pipelines". */
export const totalLabel = ({ totalElements, isTotalAtLeast }: Counted, one: string, many: string): string =>
  `${totalElements.toLocaleString('en')}${isTotalAtLeast ? '+' : ''} ${totalElements === 1 ? one : many}`;

/** Where counting stopped there is a next page for as long as pages are full. */
export const pageCountOf = (page: Counted | undefined): number => {
  if (!page) return 1;
  return page.isTotalAtLeast ? Math.max(page.totalPages, page.number + (page.last ? 1 : 2)) : page.totalPages;
};
