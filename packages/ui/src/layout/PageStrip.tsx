// The header of a page: what is this, is it well, what can I do. Pages of an app put a Waterline right below it.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Copy } from '../text/Copy.tsx';
import { Crumbs, type Crumb } from './Crumbs.tsx';
import css from './PageStrip.module.css';

export interface PageStripProps {
  /** What kind of thing this is, over its name ("Service"). */
  typeLabel?: string;
  name: ReactNode;
  /** Adds a copy button after the name. */
  copyText?: string;
  /** Badge, tags: after the name. */
  status?: ReactNode;
  /** One sentence under the name. */
  lede?: ReactNode;
  crumbs?: Crumb[];
  /** Order: plain, "…", filled. One filled button a screen. */
  actions?: ReactNode;
  /** True while what it tells is still read: keeps the place of the actions, which on phones is a row of its own. */
  isLoading?: boolean;
  /** True for pages without an environment: a thin line closes the strip instead of the waterline. */
  isList?: boolean;
  /** Details, or the tabs of a list page. */
  children?: ReactNode;
  /** True where `children` are tabs, which stand on the lower edge. */
  hasTabs?: boolean;
}

export function PageStrip(props: PageStripProps) {
  const { typeLabel, name, copyText, status, lede, crumbs, actions, isLoading = false, isList = false, hasTabs = false, children } = props;
  return (
    <header className={classNames(css.strip, isList && css.list)}>
      <div className={classNames('wrap', css.inner, hasTabs && css.flush)}>
        {crumbs !== undefined && <Crumbs items={crumbs} />}
        <div className={css.head}>
          <div className={css.title}>
            {typeLabel !== undefined && <div className={css.type}>{typeLabel}</div>}
            <div className={css.name}>
              <h1>{name}</h1>
              {copyText !== undefined && <Copy text={copyText} what="name" />}
              {status}
            </div>
            {lede !== undefined && <p className="quiet">{lede}</p>}
          </div>
          {isLoading ? (
            <div className={css.actions} aria-hidden="true">
              <span className={css.place} />
            </div>
          ) : (
            actions !== undefined && <div className={css.actions}>{actions}</div>
          )}
        </div>
        {children}
      </div>
    </header>
  );
}
