/** A part of a page whose code loads after the page's data. If the code fails to load, the page shows without the part. */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Without: ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> => lazy(async () => ({ default: await load().catch(() => Without) }));
