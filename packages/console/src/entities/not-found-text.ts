/** Texts of the 404 panel, chosen by the deepest resource in the URL (specification §2). */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import { filled, kinds } from '@slipway/contract/kinds.ts';
import type { Kind } from '@slipway/contract/kernel/subject.ts';
import { paths } from './paths.ts';

type Params = Readonly<Record<string, string | undefined>>;

/** Resources with their own text, in this order: the first one in the URL decides. */
const ownTexts = ['request', 'revision', 'service', 'env', 'app'] as const;
type OwnText = (typeof ownTexts)[number];

export interface NotFoundText {
  /** A kind, `env`, or `general`. */
  kind: string;
  title: string;
  text: string;
  /** Links to existing pages, nearest first. */
  links: { label: string; href: string }[];
}

/** Returns the deepest kind of which the parameters contain all path parameters. */
const namedKind = (params: Params): Kind | undefined =>
  kinds()
    .filter(({ names, address, path }) => path !== undefined && names.length > 0 && address.every((name) => params[name] !== undefined))
    .toSorted((a, b) => b.address.length - a.address.length)[0];

const myApps = { label: 'All my apps', href: paths.myApps() };
const gone = 'It may have been deleted, or the address has a typing mistake.';

/** Builds the text of any kind: links to its list and its parent. */
const kindText = ({ kind, label, plural, names, listPath, under }: Kind, params: Params): NotFoundText => {
  const word = label.toLowerCase();
  const list = listPath === undefined ? undefined : filled(listPath, params);
  const env = environmentOf(params['env'] ?? '');
  const above = under?.path === undefined ? undefined : filled(under.path, params);
  return {
    kind,
    title: `There is no ${word} ${params[names.at(-1) ?? ''] ?? ''}${env === undefined ? '' : ` in ${env}`}`,
    text: gone,
    links: [
      ...(list === undefined ? [] : [{ label: `All ${plural.toLowerCase()}`, href: list }]),
      ...(above === undefined || !under ? [] : [{ label: `${under.label} ${params[under.names.at(-1) ?? ''] ?? ''}`, href: above }]),
      myApps,
    ],
  };
};

export const notFoundText = (params: Params): NotFoundText => {
  const named = namedKind(params);
  const own = ownTexts.find((word) => params[word] !== undefined);
  if (named && !ownTexts.some((word) => word === named.kind)) return kindText(named, params);
  return ownText(own, params);
};

const ownText = (kind: OwnText | undefined, params: Params): NotFoundText => {
  const { app = '', env = '', service = '', revision, request } = params;
  const toApp = { label: `App ${app}`, href: paths.app({ app }) };
  const toServices = { label: `Services of ${app}`, href: paths.appServices({ app, env }) };
  switch (kind) {
    case 'request':
      return {
        kind,
        title: `There is no request ${request}`,
        text: `${gone} Requests that are not of your teams are hidden.`,
        links: [{ label: `Requests of ${app}`, href: paths.events({ app, env }, 'requests') }, toApp],
      };
    case 'revision':
      return {
        kind,
        title: `There is no revision ${revision} in ${env}`,
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
    case undefined:
      return {
        kind: 'general',
        title: 'There is nothing at this address',
        text: 'The page may have moved, or the address has a typing mistake.',
        links: [myApps, { label: 'My teams', href: paths.myTeams() }],
      };
  }
};
