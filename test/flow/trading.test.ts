import { describeTrading, swingingMarket } from './trading.contract.ts';

describeTrading('trading on the embedded defaults', swingingMarket(), {});
