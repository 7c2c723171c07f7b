/** A menu of the header. Its code comes right after the first screen: nobody opens a menu before there is something to see. */
import type { MenuProps } from '@slipway/ui/Menu.tsx';
import { lazy, Suspense } from 'react';

const Menu = lazy(async () => ({ default: (await import('@slipway/ui/Menu.tsx')).Menu }));

export function HeaderMenu(props: MenuProps) {
  return (
    <Suspense fallback={props.trigger}>
      <Menu {...props} />
    </Suspense>
  );
}
