/** Links to apps, services or teams whose names are similar to the one that does not exist. Shows nothing without one. */
import { applicationList } from '@slipway/contract/application.ts';
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { nearNames } from '@slipway/contract/kernel/near-names.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { teamList } from '@slipway/contract/team.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Fragment } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { paths } from './paths.ts';

const size = 100;
/** Lists find parts of names. A typing mistake is rarely in the first letters. */
const beginning = 3;
const once = { pollMs: 0 };

export interface DidYouMeanProps {
  /** Kind of the thing that does not exist. */
  kind: string;
  params: Readonly<Record<string, string | undefined>>;
}

export function DidYouMean({ kind, params }: DidYouMeanProps) {
  const { app = '', service = '', team = '' } = params;
  const env = environmentOf(params['env'] ?? '');
  const isApp = kind === 'app' || (kind === 'env' && env !== undefined);
  const apps = useQuery(applicationList, isApp && { query: { query: app.slice(0, beginning), size } }, once);
  const services = useQuery(serviceList, kind === 'service' && env !== undefined && { params: { app, env }, query: { size } }, once);
  const teams = useQuery(teamList, kind === 'team' && { query: { query: team.slice(0, beginning), size } }, once);
  const wanted = isApp ? app : kind === 'service' ? service : team;
  const names = isApp
    ? apps.data?.content.map(({ id }) => id)
    : kind === 'service'
      ? services.data?.content.map(({ name }) => name)
      : teams.data?.content.map(({ id }) => id);
  const hrefOf = (name: string): string =>
    isApp
      ? paths.app({ app: name, ...(env && { env }) })
      : kind === 'service' && env
        ? paths.service({ app, env, service: name })
        : paths.team(name);
  const near = nearNames(wanted, names ?? []);
  if (near.length === 0) return null;
  return (
    <p>
      Did you mean{' '}
      {near.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ' or '}
          <Link href={hrefOf(name)}>{name}</Link>
        </Fragment>
      ))}
      ?
    </p>
  );
}
