/** The words of the 404 panel, by the deepest thing that the address names (specification §2). */
import { environmentOf } from '@slipway/contract/fields.ts';
import { paths } from './paths.ts';

type Params = Readonly<Record<string, string | undefined>>;

/** In this order; the first that the address carries decides. */
const kinds = ['team', 'revision', 'service', 'env', 'app'] as const;
export type NotFoundKind = (typeof kinds)[number] | 'general';

export interface NotFoundText {
  kind: NotFoundKind;
  title: string;
  text: string;
  /** The way back to what exists, nearest first. */
  links: { label: string; href: string }[];
}

export const notFoundKind = (params: Params): NotFoundKind => kinds.find((kind) => params[kind] !== undefined) ?? 'general';

const myApps = { label: 'All my apps', href: paths.myApps() };
const gone = 'It may have been deleted, or the address has a typing mistake.';

export const notFoundText = (params: Params): NotFoundText => {
  const kind = notFoundKind(params);
  const { app = '', env = '', service = '', team, revision } = params;
  const toApp = { label: `App ${app}`, href: paths.app({ app }) };
  const toServices = { label: `Services of ${app}`, href: paths.appServices({ app, env }) };
  switch (kind) {
    case 'team':
      return { kind, title: `There is no team ${team}`, text: gone, links: [{ label: 'All teams', href: paths.allTeams() }, myApps] };
    case 'revision':
      return {
        kind,
        title: `There is no revision ${revision}`,
        text: `${gone} Old revisions of a service are listed with it.`,
        links: [{ label: `Revisions of ${service}`, href: paths.revisions({ app, env, service }) }, toServices],
      };
    case 'service':
      return { kind, title: `There is no service ${service} in ${env}`, text: gone, links: [toServices, myApps] };
    case 'env':
      return environmentOf(env)
        ? { kind, title: `There is no app ${app} in ${env}`, text: gone, links: [myApps, { label: 'All apps', href: paths.allApps() }] }
        : {
            kind,
            title: `There is no environment ${env}`,
            text: 'An app has two environments, development and production.',
            links: [toApp, myApps],
          };
    case 'app':
      return { kind, title: `There is no app ${app}`, text: gone, links: [myApps, { label: 'All apps', href: paths.allApps() }] };
    case 'general':
      return {
        kind,
        title: 'There is nothing at this address',
        text: 'The page may have moved, or the address has a typing mistake.',
        links: [myApps, { label: 'My teams', href: paths.myTeams() }],
      };
  }
};
