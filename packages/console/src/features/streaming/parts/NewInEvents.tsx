/** The page around a creation form of event streaming: header, environment bar, and the notice about an unreachable engine. */
import { environments } from '@slipway/contract/kernel/fields.ts';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { Fragment, type ReactNode } from 'react';
import { AppDetails } from '#entities/application/AppDetails.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import type { AppRef } from '#entities/paths.ts';
import type { AppPlace } from '#entities/team/use-app-place.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import { useEventsPlace, type EventsPlace } from '#features/streaming/use-place.ts';

export interface NewInEventsProps {
  /** "New topic" */
  title: string;
  lede: string;
  hrefOf: (place: AppRef) => string;
  /** Renders the form once the app is loaded. `reason` says why the user cannot send it. */
  children: (place: EventsPlace, at: AppPlace, reason: string | undefined) => ReactNode;
}

export function NewInEvents({ title, lede, hrefOf, children }: NewInEventsProps) {
  const { at, place } = useEventsPlace();
  usePageTitle([title, at.app, place?.env]);
  if (place === undefined) return <NotFound />;
  if (at.query.error && !at.application) return <PageError what={`app ${at.app}`} query={at.query} />;
  const links = [...environments].reverse().map((environment) => ({ environment, href: hrefOf({ app: at.app, env: environment }) }));
  return (
    <>
      <PageHeader hasSkip={false} name={title} lede={lede}>
        <AppDetails id={at.app} env={place.env} app={at.application} />
      </PageHeader>
      <EnvironmentBar environment={place.env} links={links} />
      <PageBody className="stack stack-24">
        <AwayNotice place={place} />
        {at.application && (
          <Fragment key={`${at.app}/${place.env}`}>
            {children(place, at, reasonOf(at.application.can, 'createService', { team: at.team }))}
          </Fragment>
        )}
      </PageBody>
    </>
  );
}
