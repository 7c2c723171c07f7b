/** The header of a schema: type, subject in the registry, newest version, and usage. */
import { schemaList, schemaTypeLabels, type Schema } from '@slipway/contract/streaming/schema.ts';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { CircleArrowUp, Plus, Trash2 } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { ManyNames, type ManyName } from '#features/streaming/parts/ManyNames.tsx';
import { OutsideLink } from '#features/streaming/parts/OutsideLink.tsx';
import type { SchemaPlace } from '#features/streaming/use-place.ts';
import { useSchemaRemoval } from './use-schema-removal.ts';

interface SchemaHeaderProps {
  place: SchemaPlace;
  schema: Schema | undefined;
  isMember: boolean;
  team: string;
}

export function SchemaHeader({ place, schema, isMember, team }: SchemaHeaderProps) {
  const production = useProduction(place, schema);
  return (
    <PageHeader
      typeLabel="Schema"
      name={schema?.name ?? place.schema}
      copyText={schema?.name ?? place.schema}
      status={schema && <Tag>{schemaTypeLabels[schema.type]}</Tag>}
      isLoading={!schema}
      actions={schema && <Actions place={place} schema={schema} isMember={isMember} team={team} />}
    >
      <Details items={schema ? [...detailsOf(schema), ...production] : waiting} />
    </PageHeader>
  );
}

/** Names the users of the schema, which must release it before it can be deleted. */
const whyKept = ({ can, usedBy, referencedBy }: Schema, team: string): string | undefined => {
  const reason = reasonOf(can, 'delete', { team });
  const users = [...new Set([...usedBy.map(({ topic }) => `topic ${topic}`), ...referencedBy.map((schema) => `schema ${schema}`)])];
  const isKept = can['delete'] === 'SCHEMA_IS_REFERENCED_BY_TOPICS' || can['delete'] === 'SchemaIsReferencedBySchemas';
  return reason !== undefined && isKept && users.length > 0 ? `${reason}: ${users.join(', ')}` : reason;
};

function Actions({ place, schema, isMember, team }: SchemaHeaderProps & { schema: Schema }) {
  const { remove } = useSchemaRemoval(place, schema);
  return (
    <>
      {isMember && (
        <Button icon={<Trash2 aria-hidden="true" />} disabledReason={whyKept(schema, team)} onClick={() => confirmAction(remove)}>
          Delete schema
        </Button>
      )}
      {isMember && schema.state === 'ACTIVE' && place.env === 'development' && (
        <LinkButton href={paths.promotion({ ...place, kind: 'schemas', name: schema.name })} icon={<CircleArrowUp aria-hidden="true" />}>
          Promote to production
        </LinkButton>
      )}
      {isMember && schema.state === 'ACTIVE' && (
        <LinkButton href={`${paths.newTopic(place)}?valueSchema=${encodeURIComponent(schema.id)}`} icon={<Plus aria-hidden="true" />}>
          New topic with it
        </LinkButton>
      )}
    </>
  );
}

const waiting: Detail[] = [
  { label: 'App', value: <Skeleton width={110} /> },
  { label: 'Subject', value: <Skeleton width={180} /> },
  { label: 'Resource id', value: <Skeleton width={110} /> },
  { label: 'Newest', value: <Skeleton width={110} /> },
  { label: 'Used by', value: <Skeleton width={90} /> },
];

const mostLookedAt = 50;

/** On the development page, shows which version production has. */
const useProduction = ({ app, env }: SchemaPlace, schema: Schema | undefined): Detail[] => {
  const isAsked = env === 'development' && schema?.state === 'ACTIVE';
  const params = { app, env: 'production' } as const;
  const { data } = useQuery(schemaList, isAsked && { params, query: { query: schema.name, size: mostLookedAt } }, { pollMs: 0 });
  if (!isAsked || !data) return [];
  const found = data.content.find((one) => one.name === schema.name);
  if (!found && data.totalElements > mostLookedAt) return [];
  const version = found?.revisionId === null ? 'Not created yet' : `Version ${found?.revisionId}`;
  return [
    { label: 'In production', value: found ? <Link href={paths.schema({ ...params, schema: found.name })}>{version}</Link> : 'Not there' },
  ];
};

const schemaNames = ({ applicationCode: app, environmentClass: env }: Schema, names: readonly string[]): ManyName[] =>
  [...new Set(names)].map((name) => ({ name, href: paths.schema({ app, env, schema: name }) }));
const topicNames = ({ usedBy, environmentClass: env }: Schema): ManyName[] =>
  usedBy
    .filter(({ topicId }, index) => usedBy.findIndex((one) => one.topicId === topicId) === index)
    .map(({ topic, applicationCode: app }) => ({ name: topic, href: paths.topic({ app, env, topic }) }));

const detailsOf = (schema: Schema): Detail[] => {
  const { applicationCode, environmentClass, subject, id, revisionId, updatedAt, usedBy, references, referencedBy, externalLink } = schema;
  return [
    { label: 'App', value: <Link href={paths.app({ app: applicationCode, env: environmentClass })}>{applicationCode}</Link> },
    { label: 'Subject', value: <code>{subject}</code>, copyText: subject },
    { label: 'Resource id', value: <code>{id}</code>, copyText: id },
    {
      label: 'Newest',
      value:
        revisionId === null ? (
          'None yet'
        ) : (
          <span>
            Version {revisionId}, <RelativeTime at={updatedAt} isShort />
          </span>
        ),
    },
    { label: 'Used by', value: usedBy.length === 0 ? 'No topic' : <ManyNames names={topicNames(schema)} /> },
    ...(references.length > 0
      ? [
          {
            label: 'Refers to',
            value: (
              <ManyNames
                names={schemaNames(
                  schema,
                  references.map((use) => use.schema),
                )}
              />
            ),
          },
        ]
      : []),
    ...(referencedBy.length > 0 ? [{ label: 'Referred to by', value: <ManyNames names={schemaNames(schema, referencedBy)} /> }] : []),
    ...(externalLink === null ? [] : [{ label: 'Registry', value: <OutsideLink href={externalLink} /> }]),
  ];
};
