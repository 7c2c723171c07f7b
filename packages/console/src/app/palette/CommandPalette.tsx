/** Search and jump: places here, recent ones, running pipelines, apps, services, teams, pages and actions, in one list. */
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Palette } from '@slipway/ui/overlay/Palette.tsx';
import { LayoutGrid, Server, Users } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { pipelinePath } from '#entities/paths.ts';
import { progressText, subjectName } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineTitle } from '#entities/pipeline/pipeline-title.ts';
import { pipelineLook } from '#entities/status.ts';
import { useStore } from '#kit/state/store.ts';
import { useRunningPipelines } from '#app/shell/use-running-pipelines.ts';
import { fixedActions, pages } from './fixed-entries.tsx';
import { matchGroups, type Entry, type EntryGroup } from './match.ts';
import { closeOverlay } from './palette-state.ts';
import { placeActions, placeGroup, settingsGroup } from './place-entries.tsx';
import { recentPlaces, type RecentPlace } from './recent-places.ts';
import { useFound } from './use-found.tsx';
import { namesOf, usePlace } from './use-place.ts';

const recentShown = 5;

const recentIcons: Readonly<Record<RecentPlace['kind'], ReactNode>> = {
  app: <LayoutGrid aria-hidden="true" />,
  service: <Server aria-hidden="true" />,
  team: <Users aria-hidden="true" />,
};

const recentEntry = ({ kind, label, note, href }: RecentPlace): Entry => ({
  key: `recent ${href}`,
  label,
  note,
  icon: recentIcons[kind],
  href,
});

const runEntry = (run: PipelineRun): Entry => ({
  key: `run ${run.pipelineId}`,
  label: `${pipelineTitle(run)} · ${subjectName(run)}`,
  note: progressText(run),
  icon: <StatusIcon tone={pipelineLook[run.status.state].tone} />,
  href: pipelinePath(run),
});

const useGroups = (query: string) => {
  const place = usePlace();
  const { pathname } = useLocation();
  const recent = useStore(recentPlaces);
  const { running } = useRunningPipelines();
  const { groups: found, ...state } = useFound(query.trimStart().startsWith('>') ? '' : query, place);
  // With a query the server finds apps and teams itself, recent or not.
  const kept = recent.filter(({ href, kind }) => href !== pathname && (query === '' || kind === 'service'));
  const known = new Set(query === '' ? kept.slice(0, recentShown).map(({ label }) => label) : []);
  const groups: EntryGroup[] = [
    placeGroup(place, pathname),
    // Only with a query: nine entries would push everything else down.
    ...(query === '' ? [] : [settingsGroup(place)]),
    { label: 'Recent', entries: kept.slice(0, query === '' ? recentShown : undefined).map(recentEntry) },
    { label: 'Running pipelines', entries: running.map(runEntry) },
    ...found.map((group) => ({ ...group, entries: group.entries.filter(({ label }) => !known.has(label)) })),
    { label: 'Actions', isActions: true, entries: [...placeActions(place), ...fixedActions(namesOf(place))] },
    pages(namesOf(place)),
  ];
  return { groups: matchGroups(groups, query), ...state };
};

const unreachable = 'Apps and teams could not be searched: the server does not answer. What is listed is what this page knows.';

export function CommandPalette({ isOpen, onClosed }: { isOpen: boolean; onClosed: () => void }) {
  const [query, setQuery] = useState('');
  const { groups, isSearching, hasFailed } = useGroups(query);
  return (
    <Palette
      isOpen={isOpen}
      onClose={closeOverlay}
      onClosed={onClosed}
      label="Search or jump to"
      groups={groups}
      query={query}
      onQuery={setQuery}
      isSearching={isSearching}
      empty={
        hasFailed ? unreachable : `Nothing is called “${query.trim()}”. Apps, teams, services of this app, pages and actions were searched.`
      }
      {...(hasFailed ? { remark: unreachable } : {})}
    />
  );
}
