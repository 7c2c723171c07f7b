/** Changes since the serving revision, for the card of a failing one. Shows the names of secrets, but not their values. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import type { WhyCardProps } from '@slipway/ui/feedback/WhyCard.tsx';
import type { ReactNode } from 'react';
import { revisionNumber } from '#entities/pipeline/index.ts';
import type { RevisionChanges } from './revision-changes.ts';

const shownSettings = 5;
const shownFiles = 3;

const isShort = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= 40);

function Setting({ change: { label, before, after, unit } }: { change: ServiceChange }) {
  const word = before === null ? 'added' : after === null ? 'removed' : 'changed';
  const suffix = unit === null ? '' : ` ${unit}`;
  return (
    <>
      <strong>{label}</strong>{' '}
      {isShort(before) && isShort(after) ? `${before}${suffix} → ${after}${suffix}` : <span className="quiet">{word}</span>}
    </>
  );
}

const countOf = (count: number, word: string): string => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

function Commits({ source }: { source: NonNullable<RevisionChanges['source']> }) {
  const { commits, commitCount, files } = source;
  const [newest] = commits;
  const authors = [...new Set(commits.map(({ author }) => author))];
  const named = files.slice(0, shownFiles);
  return (
    <>
      {commitCount === 1 && newest ? (
        <>
          Commit <code>{newest.sha.slice(0, 7)}</code> “{newest.message}”
        </>
      ) : (
        countOf(commitCount, 'commit')
      )}{' '}
      <span className="quiet">by {authors.join(', ')}, in</span>{' '}
      {named.map(({ path }, index) => (
        <span key={path}>
          {index > 0 && ', '}
          <code>{path}</code>
        </span>
      ))}
      {files.length > named.length && <span className="quiet"> and {countOf(files.length - named.length, 'file')} more</span>}
    </>
  );
}

/** Returns one entry per kind of change, and a last one for what did not change. */
const changedList = ({ image, settings, secretVersions, source }: RevisionChanges): ReactNode[] => {
  const hasCommits = source !== null && source.commitCount > 0;
  const same = [settings.length === 0 ? 'settings' : '', secretVersions.length === 0 ? 'secrets' : ''].filter((word) => word !== '');
  return [
    ...(hasCommits ? [<Commits key="commits" source={source} />] : []),
    ...(image !== null && !hasCommits
      ? [
          <>
            Image tag <code>{image.before}</code> → <code>{image.after}</code>
          </>,
        ]
      : []),
    ...settings.slice(0, shownSettings).map((change) => <Setting key={change.path} change={change} />),
    ...(settings.length > shownSettings ? [`${countOf(settings.length - shownSettings, 'setting')} more`] : []),
    ...secretVersions.map(({ group, before, after }) => (
      <>
        Secrets <code>{group}</code>{' '}
        <span className="quiet">{before === null ? 'attached' : after === null ? 'detached' : `version ${before} → ${after}`}</span>
      </>
    )),
    ...(same.length > 0
      ? [
          <span key="same" className="quiet">
            No change to {same.join(' or ')}
          </span>,
        ]
      : []),
  ];
};

/** Returns the card's columns: log lines and, if known, changes. */
export const changedColumn = (
  changes: RevisionChanges | undefined,
  lines: ReactNode[],
): Pick<WhyCardProps, 'lines' | 'changed' | 'changedTitle'> => ({
  lines,
  ...(changes ? { changed: changedList(changes), changedTitle: `What changed since revision ${revisionNumber(changes.since)}` } : {}),
});
