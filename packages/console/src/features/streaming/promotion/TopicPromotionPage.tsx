/** Promotes a topic from development to production: a diff of its settings, their effect on messages, and the schemas that it needs. */
import { isPlan } from '@slipway/contract/pipeline/plan.ts';
import { schemaPromote, topicPromote, topicPromotionView, type TopicPromotion } from '@slipway/contract/streaming/promotion.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { useParams } from 'react-router';
import useSWR from 'swr';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { dryRun } from '#entities/plan/dry-run.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import type { Check } from '#features/streaming/parts/CheckList.tsx';
import { useEventsPlace } from '#features/streaming/use-place.ts';
import { deciderCheck, warningChecks } from './promotion-checks.ts';
import { PromotionFrame } from './PromotionFrame.tsx';
import { missingCheck, schemasNamed } from './SchemaPromotionPage.tsx';
import { usePromotion } from './use-promotion.ts';

export function Component() {
  const { topic = '' } = useParams();
  const { at, place } = useEventsPlace();
  const query = useQuery(topicPromotionView, place && { params: { ...place, topic } });
  const { data: view } = query;
  const missing = view?.missingSchemas ?? [];
  const warnings = useWarnings(at.app, topic, at.isMember === true ? view : undefined);
  const schemas = useWrite(schemaPromote);
  const topics = useWrite(topicPromote);
  const here = { app: at.app, env: 'development' } as const;
  const there = { app: at.app, env: 'production', topic };
  const promotion = usePromotion({
    steps: [
      ...missing.map((schema) => ({ name: schema, start: () => schemas.send({ params: { ...here, schema }, body: {} }) })),
      { name: topic, start: () => topics.send({ params: { ...here, topic }, body: view ? { mark: view.mark } : {} }) },
    ],
    href: paths.topic(there),
    hints: [
      { kind: 'topic', app: at.app },
      { kind: 'schema', app: at.app },
    ],
  });
  if (place === undefined) return <NotFound />;
  if (query.error && !view) return <PageError what={`promotion of the topic ${topic}`} query={query} />;
  return (
    <PromotionFrame
      place={place}
      label="Topic"
      name={topic}
      href={paths.topic({ ...place, topic })}
      hrefThere={paths.topic(there)}
      list="topics"
      view={view}
      checks={[...(view ? schemaChecks(place.app, view) : []), ...warnings, deciderCheck(at.team, at.isMember === true)]}
      promotion={promotion}
      reason={at.isMember === false ? at.noRight : undefined}
      footNote={
        missing.length > 0
          ? `First ${schemasNamed(missing)}, then the topic ${topic}. If one fails, what was promoted before it stays.`
          : 'A pipeline makes it so. Messages are not copied.'
      }
    />
  );
}

/** Warnings of a dry run in production. Skipped if a schema is missing there, because the dry run would report only that. */
const useWarnings = (app: string, topic: string, view: TopicPromotion | undefined): Check[] => {
  const isAsked = view !== undefined && view.missingSchemas.length === 0 && (view.isNew || view.differences.length > 0);
  const key = isAsked ? ['topicPromotionPlan', app, topic, JSON.stringify(view.differences)] : null;
  const { data } = useSWR(key, () => dryRun(topicPromote, { params: { app, env: 'development', topic }, body: {} }), {
    shouldRetryOnError: false,
  });
  return warningChecks(data && isPlan(data) ? data : undefined);
};

const schemaChecks = (app: string, { missingSchemas, olderSchemas }: TopicPromotion): Check[] => {
  const older = olderSchemas.map((schema): Check => ({
    key: `older ${schema}`,
    tone: 'idle',
    main: `The schema ${schema} differs in production`,
    below: 'The topic keeps the content that is there until the schema is promoted.',
    end: <Link href={paths.promotion({ app, env: 'development', kind: 'schemas', name: schema })}>Compare</Link>,
  }));
  if (missingSchemas.length + older.length === 0) return [{ key: 'schemas', tone: 'ok', main: 'Its schemas are in production' }];
  return [...missingSchemas.map((schema) => missingCheck(app, schema)), ...older];
};
