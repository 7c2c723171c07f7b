/** Handles the global shortcuts and records recent places. Renders only the palette and the sheet, when opened. */
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useEffect, useEffectEvent, useState, type ComponentType } from 'react';
import { useLocation, useMatches, useNavigate } from 'react-router';
import { isStatus } from '#kit/api/errors.ts';
import { whenPageReady } from '#kit/later/page-ready.ts';
import { crumbsOf } from '#kit/page/crumbs.ts';
import { useStore } from '#kit/state/store.ts';
import { createSequence, hasOverlay, isPaletteKey, isSingleKey } from './keys.ts';
import { closeElsewhere, closeOverlay, hasSingleKeys, openPalette, openShortcuts, overlay, type Overlay } from './palette-state.ts';
import { preloadPalette } from './preload-palette.ts';
import { environmentLinks, placeLinks } from './place-links.ts';
import { appPlace, forgetPlace, rememberPlace } from './recent-places.ts';
import { usePlace, type Place } from './use-place.ts';
import { paths } from '#entities/paths.ts';

interface OverlayProps {
  isOpen: boolean;
  onClosed: () => void;
}

const loaders: Readonly<Record<Overlay, () => Promise<ComponentType<OverlayProps>>>> = {
  palette: async () => (await import('./CommandPalette.tsx')).CommandPalette,
  shortcuts: async () => (await import('./ShortcutSheet.tsx')).ShortcutSheet,
};

/** Returns the parent page as in the breadcrumbs. A service's revisions tab counts as the service itself. */
const useParent = (): string | undefined => {
  const { pathname } = useLocation();
  const params = useMatches().at(-1)?.params ?? {};
  return crumbsOf(pathname, params).at(params['tab'] === 'revisions' ? -3 : -2)?.href;
};

/** Returns the target path or the action of a key; undefined if the key has no meaning here. */
const targetOf = (key: string, place: Place, parent: string | undefined): string | (() => void) | undefined => {
  if (key === '?') return openShortcuts;
  // If a page has its own search field, that has handled the slash already.
  if (key === '/') return openPalette;
  if (key === 'Escape') return parent;
  if (key === '[' || key === ']') return environmentLinks().find((link) => link.key === key && !link.isCurrent)?.href;
  return placeLinks(place).find(({ letter }) => letter !== undefined && key === `g ${letter.toLowerCase()}`)?.href;
};

const useKeys = (place: Place): void => {
  const navigate = useNavigate();
  const parent = useParent();
  const [read] = useState(() => createSequence());
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (isPaletteKey(event)) {
      event.preventDefault();
      if (overlay.get() === 'palette') closeOverlay();
      // Not over a dialog: navigating would abandon the decision.
      else if (!hasOverlay()) openPalette();
      return;
    }
    if (!isSingleKey(event) || (!hasSingleKeys.get() && event.key !== 'Escape')) return;
    // Escape closes an open tooltip first.
    if (event.key === 'Escape' && document.querySelector('[role=tooltip]')) return;
    const target = targetOf(read(event.key), place, parent);
    if (target === undefined) return;
    event.preventDefault();
    if (typeof target === 'string') void navigate(target);
    else target();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};

/** Records the current place, and removes it if it no longer exists. */
const useMemory = ({ app, env, service, team, application, serviceData, teamData, error }: Place): void => {
  const isGone = isStatus(error, 404);
  useEffect(() => {
    if (team !== undefined) {
      if (teamData) rememberPlace({ kind: 'team', label: teamData.displayName, note: 'Team', href: paths.team(team) });
      else if (isGone) forgetPlace(paths.team(team));
      return;
    }
    if (app === undefined || env === undefined) return;
    if (service === undefined) {
      if (application) rememberPlace(appPlace(app, env));
      else if (isGone) forgetPlace(paths.app({ app }));
      return;
    }
    const href = paths.service({ app, env, service });
    if (serviceData) rememberPlace({ kind: 'service', label: service, note: `${app}, ${env}`, href });
    else if (isGone) forgetPlace(href);
  }, [app, env, service, team, application, serviceData, teamData, isGone]);
};

/** Applies the switch to the design system's own single key, the slash of a search field. */
const useKeySwitch = (): void => {
  const areOn = useStore(hasSingleKeys);
  useEffect(() => {
    if (areOn) delete document.documentElement.dataset['keys'];
    else document.documentElement.dataset['keys'] = 'off';
  }, [areOn]);
};

export function Shortcuts() {
  const place = usePlace();
  useKeySwitch();
  useKeys(place);
  useMemory(place);
  return <Overlays />;
}

/** Loads the code of the open overlay. If loading fails, nothing opens and the next key press tries again. */
const useParts = (open: Overlay | undefined): Partial<Record<Overlay, ComponentType<OverlayProps>>> => {
  const [parts, setParts] = useState<Partial<Record<Overlay, ComponentType<OverlayProps>>>>({});
  const isMissing = open !== undefined && parts[open] === undefined;
  useEffect(() => {
    if (!isMissing) return;
    loaders[open]().then(
      (part) => setParts((known) => ({ ...known, [open]: part })),
      () => {
        closeOverlay();
        toast.failure('This part of the page could not be loaded', { detail: 'The server does not answer. Try again in a moment.' });
      },
    );
  }, [open, isMissing]);
  return parts;
};

/** Each overlay stays mounted for its exit animation and is remounted the next time. */
function Overlays() {
  const open = useStore(overlay);
  const { pathname } = useLocation();
  const parts = useParts(open);
  useEffect(closeElsewhere, [pathname]);
  useEffect(() => whenPageReady(preloadPalette), []);
  const [shown, setShown] = useState<Overlay>();
  const [count, setCount] = useState(0);
  if (open !== undefined && open !== shown) {
    setShown(open);
    setCount(count + 1);
  }
  const Part = shown && parts[shown];
  return Part ? <Part key={count} isOpen={open === shown} onClosed={() => setShown(overlay.get())} /> : null;
}
