/** A menu of the header. Its code comes right after the first screen: nobody opens a menu before there is something to see. */
import type { MenuProps } from '@slipway/ui/Menu.tsx';
import { Suspense } from 'react';
import { lazyPart } from '#app/lazy-part.ts';

const Menu = lazyPart(
  async () => (await import('@slipway/ui/Menu.tsx')).Menu,
  ({ trigger }: MenuProps) => trigger,
);

export function HeaderMenu(props: MenuProps) {
  return (
    <Suspense fallback={props.trigger}>
      <Menu {...props} />
    </Suspense>
  );
}
