/** A part of a page whose code comes after its data. If it does not come, the page stands without it. */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Without: ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await load().catch(() => Without) }));
