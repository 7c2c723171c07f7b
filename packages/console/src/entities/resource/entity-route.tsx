/** The route of one entity: loads the entity in the URL, or shows why it cannot be shown. */
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { filled } from '@slipway/contract/kinds.ts';
import type { Call, ResponseOf, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import type { ReactNode } from 'react';
import { useParams, type Params } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { useAppPlace, type AppPlace } from '#entities/team/index.ts';
import { preloadQuery, useQuery, type QueryOptions } from '#kit/api/query.ts';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { MissingTab, tabAt, type Tabs } from './EntityPage.tsx';

/** App, environment, and the entity's name: `EntityPlace<'topic'>`. */
export type EntityPlace<Name extends string> = { app: string; env: Environment } & Record<Name, string>;
type Names = Record<string, string>;

export interface EntityScreenProps<Place, View, Tab extends string = never> {
  /** The names in the URL. */
  place: Place;
  at: AppPlace;
  tab: Tab;
  /** Undefined until it is loaded. */
  entity: View | undefined;
}

export interface EntityRouteOptions<Place extends Names, R extends RouteShape, Tab extends string> {
  kind: Kind;
  route: R;
  query?: QueryOptions<R>;
  /** True if non-members do not see the entity. */
  isMembersOnly?: boolean;
  tabs?: Tabs<Tab>;
  Screen: (props: EntityScreenProps<Place, ResponseOf<R>, Tab>) => ReactNode;
}

export const entityRoute = <Place extends Names, R extends RouteShape, Tab extends string = never>(
  options: EntityRouteOptions<Place, R, Tab>,
) => {
  const { kind, route, isMembersOnly = false, tabs, Screen } = options;
  const hasEnvironment = kind.address.includes('env');
  /** Returns undefined if the URL names no valid environment. */
  const placeIn = (params: Readonly<Params>): Place | undefined => {
    if (hasEnvironment && environmentOf(params['env'] ?? '') === undefined) return undefined;
    return Object.fromEntries(kind.address.map((name) => [name, params[name] ?? ''])) as Place;
  };
  const inputOf = (place: Place) => ({ params: place }) as unknown as Call<R>;

  /** Prefetches the page's data while the pointer is over a link to it. */
  const preload = (params: Readonly<Params>): void => {
    const place = placeIn(params);
    if (place) preloadQuery(route, inputOf(place));
  };

  function Component() {
    const params = useParams();
    const at = useAppPlace();
    const place = placeIn(params);
    const isAsked = !isMembersOnly || at.isMember === true;
    const query = useQuery(route, isAsked && place !== undefined && inputOf(place), options.query);
    const tab = tabs && tabAt(tabs, params['tab']);
    if (place === undefined) return <NotFound />;
    const id = place[kind.address.at(-1) ?? ''] ?? '';
    const hasNothing = query.data === undefined;
    if (hasNothing && at.query.error && !at.application) return <PageError what={`app ${at.app}`} query={at.query} />;
    if (isMembersOnly && at.isMember === false) {
      return (
        <PlainPage name={id} typeLabel={kind.label} title={[id, at.app, at.env ?? '']}>
          <MembersOnly label={kind.plural}>{at.noRight}</MembersOnly>
        </PlainPage>
      );
    }
    if (query.error && hasNothing) return <PageError what={`${kind.label.toLowerCase()} ${id}`} query={query} />;
    if (tabs && tab === undefined) {
      return <MissingTab noun={kind.label} name={id} segment={params['tab']} href={filled(kind.path ?? '', place) ?? ''} />;
    }
    return <Screen key={Object.values(place).join('/')} place={place} at={at} tab={tab as Tab} entity={query.data} />;
  }
  return { Component, preload };
};
