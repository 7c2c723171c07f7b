/** Loads the console's own feature flags once the first page is shown. */
import { useEffect } from 'react';
import { useMe } from '#entities/team/me.ts';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { loadFeatures } from '#kit/features/features.ts';
import { whenPageReady } from '#kit/later/page-ready.ts';

export function LoadFeatures() {
  const { data: me } = useMe();
  const id = me?.id;
  const teams = me?.teamRefs.join(' ');
  useEffect(() => {
    const clientKey = runtimeConfig().flagsClientKey;
    if (clientKey === null || id === undefined || teams === undefined) return;
    let stop: (() => void) | undefined;
    let isGone = false;
    const load = async () => {
      const attributes = { id, teams: teams === '' ? [] : teams.split(' ') };
      stop = await loadFeatures({ clientKey, apiHost: location.origin, attributes });
      if (isGone) stop();
    };
    // The text is the specification's.
    whenPageReady(() => void load().catch((error: unknown) => console.error('gb failed to load', error)));
    return () => {
      isGone = true;
      stop?.();
    };
  }, [id, teams]);
  return null;
}
