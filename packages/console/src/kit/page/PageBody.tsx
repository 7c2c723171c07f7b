/** The page below its header: the column, and an optional title. */
import { classNames } from '@slipway/ui/class-names.ts';
import type { ReactNode } from 'react';
import css from './PageBody.module.css';

export const bodyId = 'page-body';

export interface PageBodyProps {
  title?: ReactNode;
  /** `tabs`: less space above, for pages that start with tabs. `flush`: directly below a waterline. */
  padding?: 'default' | 'tabs' | 'flush' | 'none';
  /** The page's tabs. */
  tabs?: ReactNode;
  className?: string;
  /** At least as high as the window, for pages whose parts appear one by one and would move the footer. */
  isTall?: boolean;
  children?: ReactNode;
}

export function PageBody({ title, padding = 'default', tabs, className, isTall = false, children }: PageBodyProps) {
  const room = { default: 'page', tabs: 'page page-tabs', flush: 'page page-flush', none: undefined }[padding];
  return (
    <div className={classNames('wrap', room)}>
      {tabs}
      <div id={bodyId} tabIndex={-1} className={classNames(className, isTall && css.tall)}>
        {title !== undefined && <h2 className="section-head">{title}</h2>}
        {children}
      </div>
    </div>
  );
}
