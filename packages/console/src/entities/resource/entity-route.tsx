/** The route of one entity in an app's environment: loads the entity in the URL, or shows why it cannot be shown. */
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
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

export interface EntityScreenProps<Name extends string, View, Tab extends string = never> {
  place: EntityPlace<Name>;
  at: AppPlace;
  tab: Tab;
  /** Undefined until it is loaded. */
  entity: View | undefined;
}

export interface EntityRouteOptions<Name extends string, R extends RouteShape, Tab extends string> {
  kind: Kind;
  /** The entity's name in the URL. */
  name: Name;
  route: R;
  query?: QueryOptions<R>;
  /** True if non-members do not see the entity. */
  isMembersOnly?: boolean;
  tabs?: Tabs<Tab>;
  hrefOf: (place: EntityPlace<Name>) => string;
  Screen: (props: EntityScreenProps<Name, ResponseOf<R>, Tab>) => ReactNode;
}

export const entityRoute = <Name extends string, R extends RouteShape, Tab extends string = never>(
  options: EntityRouteOptions<Name, R, Tab>,
) => {
  const { kind, name, route, isMembersOnly = false, tabs, hrefOf, Screen } = options;
  const placeOf = (app: string, env: Environment, params: Readonly<Params>) =>
    ({ app, env, [name]: params[name] ?? '' }) as EntityPlace<Name>;
  const inputOf = (place: EntityPlace<Name>) => ({ params: place }) as unknown as Call<R>;

  /** Prefetches the page's data while the pointer is over a link to it. */
  const preload = (params: Readonly<Params>): void => {
    const env = environmentOf(params['env'] ?? '');
    if (env !== undefined) preloadQuery(route, inputOf(placeOf(params['app'] ?? '', env, params)));
  };

  function Component() {
    const params = useParams();
    const at = useAppPlace();
    const place = at.env && placeOf(at.app, at.env, params);
    const isAsked = !isMembersOnly || at.isMember === true;
    const query = useQuery(route, isAsked && place !== undefined && inputOf(place), options.query);
    const tab = tabs && tabAt(tabs, params['tab']);
    if (place === undefined) return <NotFound />;
    const id = place[name];
    const hasNothing = query.data === undefined;
    if (hasNothing && at.query.error && !at.application) return <PageError what={`app ${at.app}`} query={at.query} />;
    if (isMembersOnly && at.isMember === false) {
      return (
        <PlainPage name={id} typeLabel={kind.label} title={[id, at.app, place.env]}>
          <MembersOnly label={kind.plural}>{at.noRight}</MembersOnly>
        </PlainPage>
      );
    }
    if (query.error && hasNothing) return <PageError what={`${kind.label.toLowerCase()} ${id}`} query={query} />;
    if (tabs && tab === undefined) return <MissingTab noun={kind.label} name={id} segment={params['tab']} href={hrefOf(place)} />;
    return <Screen key={`${at.app}/${place.env}/${id}`} place={place} at={at} tab={tab as Tab} entity={query.data} />;
  }
  return { Component, preload };
};
