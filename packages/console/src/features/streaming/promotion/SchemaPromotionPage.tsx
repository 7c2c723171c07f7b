/** Promotes a schema from development to production: a diff of its content, and the verdict against production's versions. */
import { schemaPromote, schemaPromotionView } from '@slipway/contract/streaming/promotion.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { useParams } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import type { Check } from '#features/streaming/parts/CheckList.tsx';
import { useEventsPlace } from '#features/streaming/use-place.ts';
import { deciderCheck, verdictChecks } from './promotion-checks.ts';
import { PromotionFrame } from './PromotionFrame.tsx';
import { usePromotion } from './use-promotion.ts';

export function Component() {
  const { schema = '' } = useParams();
  const { at, place } = useEventsPlace();
  const params = place && { ...place, schema };
  const query = useQuery(schemaPromotionView, params && { params });
  const write = useWrite(schemaPromote);
  const there = { app: at.app, env: 'production', schema };
  const marked = query.data ? { mark: query.data.mark } : {};
  const start = (name: string) =>
    write.send({ params: { app: at.app, env: 'development', schema: name }, body: name === schema ? marked : {} });
  const missing = query.data?.missingSchemas ?? [];
  const promotion = usePromotion({
    steps: [...missing, schema].map((name) => ({ name, start: () => start(name) })),
    href: paths.schema(there),
    hints: [{ kind: 'schema', app: at.app }],
  });
  if (place === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`promotion of the schema ${schema}`} query={query} />;
  const { data: view } = query;
  const isBreaking = view?.verdict?.state === 'INCOMPATIBLE' || view?.verdict?.state === 'INVALID';
  const reason = at.isMember === false ? at.noRight : isBreaking ? 'It would break those who use it in production.' : undefined;
  return (
    <PromotionFrame
      place={place}
      label="Schema"
      name={schema}
      href={paths.schema({ ...place, schema })}
      hrefThere={paths.schema(there)}
      list="schemas"
      view={view}
      checks={[
        ...(view ? verdictChecks(view.verdict) : []),
        ...missing.map((name) => missingCheck(place.app, name)),
        deciderCheck(at.team, at.isMember === true),
      ]}
      promotion={promotion}
      reason={reason}
      footNote={
        missing.length > 0
          ? `First ${schemasNamed(missing)}, then ${schema}.`
          : 'A pipeline registers it. Topics that use it get the version.'
      }
    />
  );
}

/** Says "schema", because a topic may have the same name as its schema. */
export const schemasNamed = (names: readonly string[]): string => `the schema${names.length === 1 ? '' : 's'} ${names.join(', ')}`;

/** The missing schema is promoted first, with the same button. */
export const missingCheck = (app: string, schema: string): Check => ({
  key: `missing ${schema}`,
  tone: 'warn',
  main: `The schema ${schema} is not in production`,
  below: 'It is promoted first.',
  end: <Link href={paths.promotion({ app, env: 'development', kind: 'schemas', name: schema })}>See what it is</Link>,
});
