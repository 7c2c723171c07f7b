/** Overview of a topic: traffic, users, drift between cluster and wanted settings, and message schemas. */
import { compatibilityTexts, schemaTypeLabels, schemaView } from '@slipway/contract/streaming/schema.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { topicStatusView } from '@slipway/contract/streaming/topic-status.ts';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { cellMain } from '@slipway/ui/list/Table.tsx';
import { paths } from '#entities/paths.ts';
import type { AppPlace } from '#entities/team/use-app-place.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';
import { useQuery } from '#kit/api/query.ts';
import { LineList } from '#features/streaming/parts/LineList.tsx';
import { observedMs, useEngineQuery, type TopicPlace } from '#features/streaming/use-place.ts';
import css from './TopicOverview.module.css';
import { DriftPanel } from './DriftPanel.tsx';
import { Fairway } from './Fairway.tsx';
import { TopicNow } from './TopicNow.tsx';
import { useTopicUsage } from './use-topic-usage.ts';

export interface TopicOverviewProps {
  place: TopicPlace;
  topic: Topic | undefined;
  at: AppPlace;
}

export function TopicOverview({ place, topic, at: { team, application, isMember } }: TopicOverviewProps) {
  const status = useEngineQuery(place, topicStatusView, topic && { params: { ...place } }, { pollMs: observedMs, isAlwaysPolled: true });
  const usage = useTopicUsage(place, topic && isMember);
  return (
    <>
      <TopicNow topic={topic} status={status.data} isAway={status.error !== undefined} />
      {topic && (
        <Fairway topic={topic} status={status.data} users={usage.data?.users} isMember={isMember} isUnknown={usage.error !== undefined} />
      )}
      {topic && (
        <div className="split split-side">
          <DriftPanel place={place} topic={topic} team={team} />
          <div className="stack">
            <SchemasPanel topic={topic} />
            <AboutPanel topic={topic} team={team} teamId={application?.teamId} />
          </div>
        </div>
      )}
    </>
  );
}

function SchemasPanel({ topic: { spec, environmentClass } }: { topic: Topic }) {
  const schemas = [
    { part: 'Value', schema: spec.valueSchema },
    { part: 'Key', schema: spec.keySchema },
  ].flatMap(({ part, schema }) => (schema ? [{ part, schema }] : []));
  return (
    <Panel aria-labelledby="topic-schemas">
      <PanelHead title="Schemas" titleId="topic-schemas" />
      <LineList
        items={schemas.map(({ part, schema }) => ({
          key: part,
          main: (
            <>
              <Link className={cellMain} href={paths.schema({ app: schema.applicationCode, env: environmentClass, schema: schema.name })}>
                {schema.name}
              </Link>{' '}
              <span className="quiet">version {schema.revisionId ?? '–'}</span>
            </>
          ),
          below: <SchemaFacts part={part} schema={schema} env={environmentClass} />,
        }))}
      />
    </Panel>
  );
}

function SchemaFacts({ part, schema, env }: { part: string; schema: Topic['spec']['valueSchema']; env: string }) {
  const { data } = useQuery(schemaView, { params: { app: schema.applicationCode, env, schema: schema.resourceId } }, { pollMs: 0 });
  return (
    <>
      {part}, {schemaTypeLabels[schema.type]}
      {data ? `, ${compatibilityTexts[data.compatibility].label}` : ''}
    </>
  );
}

function AboutPanel({ topic, team, teamId }: { topic: Topic; team: string; teamId: string | undefined }) {
  const owners = useTeamOwners(teamId);
  return (
    <Panel aria-labelledby="topic-about">
      <PanelHead title="Who to ask" titleId="topic-about" />
      <PanelBody className="stack stack-12">
        <p className={`dense ${css.words}`}>{topic.description}</p>
        <KeyValue
          items={[
            { label: 'Team', value: teamId === undefined ? team : <Link href={paths.team(teamId)}>{team}</Link> },
            ...(owners ? [{ label: 'Owners', value: owners }] : []),
            ...(topic.tags.length > 0
              ? [
                  {
                    label: 'Tags',
                    value: topic.tags.map((tag) => (
                      <span key={tag}>
                        <Link
                          href={`${paths.events({ app: topic.applicationCode, env: topic.environmentClass })}?tag=${encodeURIComponent(tag)}`}
                        >
                          <Tag>{tag}</Tag>
                        </Link>{' '}
                      </span>
                    )),
                  },
                ]
              : []),
          ]}
        />
      </PanelBody>
    </Panel>
  );
}
