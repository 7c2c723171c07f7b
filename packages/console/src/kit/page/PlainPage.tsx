/** A page without details below its name: a form, a list, a choice. It may have tabs. */
import type { ReactNode } from 'react';
import { PageBody } from './PageBody.tsx';
import { PageHeader, type PageHeaderProps } from './PageHeader.tsx';
import { usePageTitle } from './page-title.ts';

export interface PlainPageProps extends Pick<PageHeaderProps, 'typeLabel' | 'lede' | 'actions'> {
  name: string;
  /** Window title. Defaults to the page's name. */
  title?: readonly string[];
  /** The page's tabs, above its body. */
  tabs?: ReactNode;
  /** Class of the body. */
  className?: string;
  children?: ReactNode;
}

export function PlainPage({ title, tabs, className, children, ...header }: PlainPageProps) {
  usePageTitle(title ?? [header.name]);
  return (
    <>
      <PageHeader isList hasSkip={false} {...header} />
      <PageBody className={className} {...(tabs ? { tabs, padding: 'tabs' as const } : {})}>
        {children}
      </PageBody>
    </>
  );
}
