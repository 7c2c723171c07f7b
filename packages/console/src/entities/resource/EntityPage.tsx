/** The page of one entity with tabs: header, environment bar, tabs, and the current tab's content. */
import { TabsNav, type TabLink } from '@slipway/ui/layout/TabsNav.tsx';
import type { ReactNode } from 'react';
import { MissingPart } from '#kit/page/MissingPart.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';

/** Names and labels in order. The first tab is at the page's own path. */
export type Tabs<Tab extends string> = readonly (readonly [name: Tab, label: string])[];

/** Returns the tab of a path segment, or undefined for an unknown one. */
export const tabAt = <Tab extends string>(tabs: Tabs<Tab>, segment: string | undefined): Tab | undefined =>
  tabs.find(([name], index) => (index === 0 ? segment === undefined : name === segment))?.[0];

interface EntityPageProps<Tab extends string> {
  /** "Topic" */
  noun: string;
  /** Parts of the window's title after the tab: the entity's name and place. */
  title: readonly (string | undefined)[];
  tabs: Tabs<Tab>;
  tab: Tab;
  hrefOf: (tab: Tab) => string;
  counts?: Readonly<Partial<Record<Tab, Pick<TabLink, 'count' | 'countKind'>>>>;
  header: ReactNode;
  /** The environment bar. */
  bar: ReactNode;
  children: ReactNode;
}

export function EntityPage<Tab extends string>({ noun, title, tabs, tab, hrefOf, counts, header, bar, children }: EntityPageProps<Tab>) {
  const label = tabs.find(([name], index) => index > 0 && name === tab)?.[1];
  usePageTitle([label, ...title]);
  const items = tabs.map(([name, text]) => ({ label: text, href: hrefOf(name), isCurrent: name === tab, ...counts?.[name] }));
  return (
    <>
      {header}
      {bar}
      <PageBody padding="tabs" tabs={<TabsNav label={noun} hasBar items={items} />} className="stack stack-24" isTall>
        {children}
      </PageBody>
    </>
  );
}

/** Shown for a path segment that is no tab of the entity. */
export function MissingTab({ noun, name, segment = '', href }: { noun: string; name: string; segment: string | undefined; href: string }) {
  return <MissingPart title={`${name} has no page “${segment}”`} link={{ label: `${noun} ${name}`, href }} />;
}
