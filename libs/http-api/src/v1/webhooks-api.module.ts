import { WebhookQueries } from '@florin/read-models';
import { Module } from '@nestjs/common';
import { EventsController } from './events/events.controller';
import { DeliveriesController } from './webhook-endpoints/deliveries.controller';
import { EndpointSecretsController } from './webhook-endpoints/endpoint-secrets.controller';
import { WebhookCommands } from './webhook-endpoints/webhook-commands';
import { WebhookEndpointsController } from './webhook-endpoints/webhook-endpoints.controller';

/** Webhook endpoints, events and deliveries. The composition provides the `SecretVault`. */
@Module({
  controllers: [WebhookEndpointsController, EndpointSecretsController, DeliveriesController, EventsController],
  providers: [WebhookQueries, WebhookCommands],
})
export class WebhooksApiModule {}
