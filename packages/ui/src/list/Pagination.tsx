// Pages of a list as links, so that each has a URL and middle click works.
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Link } from '../layout/Link.tsx';
import css from './Pagination.module.css';

export interface PaginationProps {
  /** Starts at 1. */
  page: number;
  pageCount: number;
  hrefOf: (page: number) => string;
  /** Name of the list, as in "Pages of apps". */
  label: string;
}

/** Returns the first and last page, the current page and its neighbors; 0 marks a gap. */
export function pagesToShow(page: number, pageCount: number): number[] {
  const near = new Set([1, page - 1, page, page + 1, pageCount].filter((p) => p >= 1 && p <= pageCount));
  const sorted = [...near].sort((a, b) => a - b);
  return sorted.flatMap((p, index) => {
    const before = sorted[index - 1];
    if (before === undefined || p - before === 1) return [p];
    return p - before === 2 ? [p - 1, p] : [0, p];
  });
}

export function Pagination({ page, pageCount, hrefOf, label }: PaginationProps) {
  if (pageCount <= 1) return null;
  return (
    <nav className={css.pages} aria-label={`Pages of ${label}`}>
      {page > 1 && (
        <Link className={css.page} href={hrefOf(page - 1)} rel="prev" aria-label="Previous page">
          <ChevronLeft aria-hidden="true" />
        </Link>
      )}
      {pagesToShow(page, pageCount).map((p, index) =>
        p === 0 ? (
          <span key={`gap-${index}`} className={css.gap} aria-hidden="true">
            …
          </span>
        ) : (
          <Link
            key={p}
            className={css.page}
            href={hrefOf(p)}
            aria-label={`Page ${p} of ${pageCount}`}
            aria-current={p === page ? 'page' : undefined}
          >
            {p}
          </Link>
        ),
      )}
      {page < pageCount && (
        <Link className={css.page} href={hrefOf(page + 1)} rel="next" aria-label="Next page">
          <ChevronRight aria-hidden="true" />
        </Link>
      )}
    </nav>
  );
}
