/** The page under its header: the column, an optional title, and where the error banner of the page stands. */
import { classNames } from '@slipway/ui/class-names.ts';
import type { ReactNode } from 'react';
import { ErrorBanner } from '#kit/error/ErrorBanner.tsx';
import css from './PageBody.module.css';

export const bodyId = 'page-body';

export interface PageBodyProps {
  title?: ReactNode;
  /** `tabs`: less room above, where tabs come first. `flush`: right under a waterline. */
  padding?: 'default' | 'tabs' | 'flush' | 'none';
  /** Tabs of the page: they stay above the error banner. */
  tabs?: ReactNode;
  className?: string;
  /** At least as high as the window: for pages whose parts come one after the other, which would push the footer about. */
  isTall?: boolean;
  children?: ReactNode;
}

export function PageBody({ title, padding = 'default', tabs, className, isTall = false, children }: PageBodyProps) {
  const room = { default: 'page', tabs: 'page page-tabs', flush: 'page page-flush', none: undefined }[padding];
  return (
    <div className={classNames('wrap', room)}>
      {tabs}
      <ErrorBanner />
      <div id={bodyId} tabIndex={-1} className={classNames(className, isTall && css.tall)}>
        {title !== undefined && <h2 className="section-head">{title}</h2>}
        {children}
      </div>
    </div>
  );
}
