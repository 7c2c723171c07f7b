/** The public interface of promotions, and their area. */
export { promotionArea } from './promotions.area.ts';
