/** The page of one entity: header, environment bar, tabs if it has any, and the content. */
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
  /** Parts of the window's title after the tab: the entity's name and place. */
  title: readonly (string | undefined)[];
  header: ReactNode;
  /** The environment bar. */
  bar?: ReactNode;
  /** "Topic": accessible name of the tabs. */
  noun?: string;
  tabs?: Tabs<Tab>;
  tab?: Tab;
  hrefOf?: (tab: Tab) => string;
  counts?: Readonly<Partial<Record<Tab, Pick<TabLink, 'count' | 'countKind'>>>>;
  children: ReactNode;
}

export function EntityPage<Tab extends string>(props: EntityPageProps<Tab>) {
  const { title, header, bar, noun = '', tabs = [], tab, hrefOf, counts, children } = props;
  const label = tabs.find(([name], index) => index > 0 && name === tab)?.[1];
  usePageTitle([label, ...title]);
  const items = tabs.map(([name, text]) => ({ label: text, href: hrefOf?.(name) ?? '', isCurrent: name === tab, ...counts?.[name] }));
  const nav = items.length > 0 && <TabsNav label={noun} hasBar items={items} />;
  return (
    <>
      {header}
      {bar}
      <PageBody padding={nav ? 'tabs' : bar ? 'flush' : 'default'} tabs={nav} className="stack stack-24" isTall>
        {children}
      </PageBody>
    </>
  );
}

/** Shown for a path segment that is no tab of the entity. */
export function MissingTab({ noun, name, segment = '', href }: { noun: string; name: string; segment: string | undefined; href: string }) {
  return <MissingPart title={`${name} has no page “${segment}”`} link={{ label: `${noun} ${name}`, href }} />;
}
