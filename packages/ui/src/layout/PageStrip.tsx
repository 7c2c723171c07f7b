// The header of a page: name, status and actions. Pages of an app place an EnvironmentBar directly below it.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { Copy } from '../text/Copy.tsx';
import { Crumbs, type Crumb } from './Crumbs.tsx';
import css from './PageStrip.module.css';

export interface PageStripProps {
  /** Type of the object, above its name ("Service"). */
  typeLabel?: string;
  name: ReactNode;
  /** Adds a copy button after the name. */
  copyText?: string;
  /** Badge or tags after the name. */
  status?: ReactNode;
  /** One sentence below the name. */
  lede?: ReactNode;
  crumbs?: Crumb[];
  /** Order: plain, "…", filled. At most one filled button per screen. */
  actions?: ReactNode;
  /** True while the header's data loads: reserves the space of the actions, which on phones is a separate row. */
  isLoading?: boolean;
  /** True for pages without an environment: a thin line closes the strip instead of the EnvironmentBar. */
  isList?: boolean;
  /** Details, or the tabs of a list page. */
  children?: ReactNode;
  /** True if `children` are tabs, which are aligned with the lower edge. */
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
