/** One schema: a draft of the newest content with the verdict, versions, and a comparison of two versions. */
import { schemaKind } from '@slipway/contract/kinds/schema.kind.ts';
import { schemaView, type Schema } from '@slipway/contract/streaming/schema.ts';
import { paths } from '#entities/paths.ts';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { EntityNotice } from '#entities/resource/EntityNotice.tsx';
import { EntityPage } from '#entities/resource/EntityPage.tsx';
import { entityRoute, type EntityScreenProps } from '#entities/resource/entity-route.tsx';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import type { SchemaPlace } from '#features/streaming/use-place.ts';
import { ComparePanel } from './ComparePanel.tsx';
import { SchemaDriftNotice } from './SchemaDriftNotice.tsx';
import { SchemaEditor } from './SchemaEditor.tsx';
import { SchemaHeader } from './SchemaHeader.tsx';
import { useSchemaRemoval } from './use-schema-removal.ts';
import { VersionsPanel } from './VersionsPanel.tsx';

export const { Component, preload } = entityRoute({
  kind: schemaKind,
  route: schemaView,
  Screen: SchemaScreen,
});

function SchemaScreen({ place, at, entity: schema }: EntityScreenProps<SchemaPlace, Schema>) {
  const isMember = at.isMember === true;
  return (
    <EntityPage
      title={[place.schema, place.app, place.env]}
      header={<SchemaHeader place={place} schema={schema} isMember={isMember} team={at.team} />}
      bar={
        <EntityBar
          env={place.env}
          hrefOf={(env) => (env === place.env ? paths.schema(place) : paths.events({ app: place.app, env }, 'schemas'))}
          pipelineId={schema?.pipelineId ?? null}
        />
      }
    >
      <AwayNotice place={place} />
      {schema && <Lifecycle place={place} schema={schema} team={at.team} />}
      {schema?.state === 'ACTIVE' && (
        <>
          <SchemaDriftNotice place={place} schema={schema} team={at.team} />
          <SchemaEditor key={schema.id} place={place} schema={schema} team={at.team} />
          <div className="split split-side">
            <ComparePanel place={place} schema={schema} />
            <VersionsPanel place={place} schema={schema} isMember={isMember} />
          </div>
        </>
      )}
    </EntityPage>
  );
}

function Lifecycle({ place, schema, team }: { place: SchemaPlace; schema: Schema; team: string }) {
  const { discard } = useSchemaRemoval(place, schema);
  return <EntityNotice showsFailedChange kind={schemaKind} names={place} entity={schema} team={team} discard={discard} />;
}
