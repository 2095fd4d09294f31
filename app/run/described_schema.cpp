#include "described_schema.h"

namespace atelier::app {

wire::Result<wire::Schema> describedSchema(const wire::Result<nlohmann::json>& described) {
  if (!described) return described.error();
  return wire::Schema::fromJson(described->is_object() ? described->value("options", nlohmann::json()) : *described);
}

}  // namespace atelier::app
