/** Totals and page counts of lists. The server counts up to a thousand; pages continue beyond that. */
import type { Page } from '@slipway/contract/kernel/fields.ts';

type Counted = Pick<Page<unknown>, 'totalElements' | 'totalPages' | 'isTotalAtLeast' | 'number' | 'last'>;

/** "1 pipeline", "27 pipelines", "1,000+ pipelines". */
export const totalLabel = ({ totalElements, isTotalAtLeast }: Counted, one: string, many: string): string =>
  `${totalElements.toLocaleString('en')}${isTotalAtLeast ? '+' : ''} ${totalElements === 1 ? one : many}`;

/** If the total is only a lower bound, there is a next page as long as pages are full. */
export const pageCountOf = (page: Counted | undefined): number => {
  if (!page) return 1;
  return page.isTotalAtLeast ? Math.max(page.totalPages, page.number + (page.last ? 1 : 2)) : page.totalPages;
};
