/** Follows every quickstart started in this browser until it ends, on any page. */
import { Suspense } from 'react';
import { useQuickstartEntries } from '#features/quickstart/quickstart-entries.ts';
import { lazyPart } from '#kit/later/lazy-part.ts';

const FollowQuickstart = lazyPart(
  async () => (await import('./FollowQuickstart.tsx')).FollowQuickstart,
  () => null,
);

export function FollowQuickstarts() {
  return (
    <Suspense>
      {useQuickstartEntries().map(({ id }) => (
        <FollowQuickstart key={id} id={id} />
      ))}
    </Suspense>
  );
}
