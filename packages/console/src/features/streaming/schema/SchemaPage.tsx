/** One schema: a draft of the newest content with the verdict, versions, and a comparison of two versions. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { schemaKind } from '@slipway/contract/streaming/schema.kind.ts';
import { schemaView, type Schema } from '@slipway/contract/streaming/schema.ts';
import { useParams, type Params } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { LifecycleNotice } from '#entities/resource/LifecycleNotice.tsx';
import { preloadQuery, useQuery } from '#kit/api/query.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import { EventsWaterline } from '#features/streaming/EventsWaterline.tsx';
import { useEventsPlace } from '#features/streaming/use-place.ts';
import { ComparePanel } from './ComparePanel.tsx';
import { SchemaDriftNotice } from './SchemaDriftNotice.tsx';
import { SchemaEditor } from './SchemaEditor.tsx';
import { SchemaHeader } from './SchemaHeader.tsx';
import { useSchemaRemoval, type SchemaPlace } from './use-schema-removal.ts';
import { VersionsPanel } from './VersionsPanel.tsx';

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env: segment = '', schema = '' }: Params): void => {
  const env = environmentOf(segment);
  if (env !== undefined) preloadQuery(schemaView, { params: { app, env, schema } });
};

export function Component() {
  const { schema: name = '' } = useParams();
  const { at, place: events } = useEventsPlace();
  const query = useQuery(schemaView, events && { params: { ...events, schema: name } });
  const schema = query.data;
  usePageTitle([schema?.name ?? name, at.app, events?.env]);
  if (events === undefined) return <NotFound />;
  if (query.error && !schema) return <PageError what={`schema ${name}`} query={query} />;
  const place = { ...events, schema: name };
  return (
    <>
      <SchemaHeader place={place} schema={schema} isMember={at.isMember === true} team={at.team} />
      <EventsWaterline
        env={place.env}
        hrefOf={(env) => (env === place.env ? paths.schema(place) : paths.events({ app: place.app, env }, 'schemas'))}
        pipelineId={schema?.pipelineId}
      />
      <PageBody padding="flush" className="stack stack-24" isTall>
        <AwayNotice place={place} />
        {schema && <Lifecycle place={place} schema={schema} team={at.team} />}
        {schema?.state === 'ACTIVE' && (
          <>
            <SchemaDriftNotice place={place} schema={schema} team={at.team} />
            <SchemaEditor key={schema.id} place={place} schema={schema} team={at.team} />
            <div className="split split-side">
              <ComparePanel place={place} schema={schema} />
              <VersionsPanel place={place} schema={schema} isMember={at.isMember === true} />
            </div>
          </>
        )}
      </PageBody>
    </>
  );
}

function Lifecycle({ place, schema, team }: { place: SchemaPlace; schema: Schema; team: string }) {
  const { discard } = useSchemaRemoval(place, schema);
  const { app, env } = place;
  return (
    <LifecycleNotice
      showsFailedChange
      noun="schema"
      subject={{ kind: schemaKind.kind, names: { app, env, schema: schema.name } }}
      state={schema.state}
      can={schema.can}
      team={team}
      onDiscard={() => confirmAction(discard)}
    />
  );
}
